"""How much water the plots need in a week without rain."""

LITRES_A_SQUARE_METRE = {"potatoes": 20, "tomatoes": 40, "herbs": 10}
DEFAULT_LITRES = 15


def weekly_litres(crop: str, square_metres: float) -> float:
    """Litres a week for a plot; an unknown crop counts as a thrifty one."""
    return LITRES_A_SQUARE_METRE.get(crop, DEFAULT_LITRES) * square_metres


def days_of_water(tank_litres: float, plots: list[tuple[str, float]]) -> float:
    """How long a full tank lasts for these plots."""
    need = sum(weekly_litres(crop, size) for crop, size in plots)
    return tank_litres / need * 7 if need else float("inf")
