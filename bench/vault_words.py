"""The words that `seeded_vault` makes notes of."""

# ruff: noqa: SIM905 - lists of words read better so

from __future__ import annotations

FIRST_NAMES = """
Harlow Bramley Thornby Kestrel Alder Millbrook Penrose Quarry Saltwick Tarn Umber Vane Wendle Yarrow
Ashby Birch Coldstream Dunmore Elmstead Fenwick Gorse Hazel Ivybridge Juniper Keld Larch Marlow
Norton Oakhurst Pelham Rowan Selby Thistle Upton Vernon Whitby Ferndale Bracken Cobbler Dray
""".split()

SECOND_NAMES = """
Mill House Bridge Yard Farm Hall Lock Wharf Barn Lodge Court Green Point Hill Market Gate Works
Chapel Ford Station Cottage Quay Meadow Tower Park Forge Terrace Field Grange Hollow
""".split()

PEOPLE = """
Ana Bruno Chiara Dmitri Elif Farid Greta Hiro Ines Jonas Katya Liam Mira Nils Olga Pavel Rosa Sven
Tara Umar Vera Wanda Xenia Yusuf Zora Aldo Berit Cosmo Dalia Emil Freya Gino Hanna Ivo Jutta Kemal
Lotte Marek Nadia Otto
""".split()

THINGS = """
boiler pump greenhouse ledger projector printer kiln ferry orchard switchboard archive compressor
kettle loom antenna fountain generator hedge icehouse jetty kiosk lantern mangle notice-board oven
piano quilt rudder scaffold tractor umbrella valve windmill workshop bicycle cistern drawbridge
elevator forklift gutter
""".split()

ADJECTIVES = """
rusty spare northern wooden narrow loud borrowed painted leaking heavy quiet broken modern ancient
folding copper portable frozen crooked striped hollow gilded dusty polished tilted
""".split()

VERBS = """
repaired measured cleaned replaced inspected moved sold lent painted weighed counted tested emptied
filled shortened raised lowered labelled photographed drained
""".split()

MATTERS = """
insurance delivery timetable warranty rent permit inventory rehearsal harvest schedule invoice
survey lease ticket budget parcel roster manual shipment tender concert exhibition stocktaking
ballot
""".split()

REASONS = """
because the winter was long
since the council asked for it
as the old supplier closed
after the flood
before the fair begins
while the road is shut
so that visitors can enter
until the new part arrives
because two volunteers left
as agreed by telephone
since nobody had the key
although the quote was higher
""".strip().splitlines()

APART = """
Nebula catalogue entries list declination, parallax and spectral class. Photometry of dwarfs needs filters.
Basalt columns cool into hexagonal joints. Feldspar phenocrysts settle within magma chambers.
Counterpoint forbids parallel fifths. A fugue states its subject in every voice before the stretto.
Enzymes lower activation energy. Ribosomes translate codons into peptide chains with transfer RNA.
Glaciers carve cirques, arêtes and hanging valleys. Moraines mark where ice once halted.
Bees waggle to signal nectar bearing. Drones leave the hive in autumn when forage ends.
""".strip().splitlines()
"""What no other note is about."""
