"""Writes `src/bob/store/int8_dot.onnx`: one integer matrix product, for the scan in `bob.search.ranking`.

    pip install onnx
    python tools/build_int8_dot.py

Run by hand, and only when that scan changes. Inputs: `codes` uint8 (rows, dimension), `query` int8
(dimension, 1). Output: `dots` int32 (rows, 1).
"""

from pathlib import Path

from onnx import TensorProto, helper

TARGET = Path(__file__).parents[1] / "src" / "bob" / "store" / "int8_dot.onnx"


def main() -> None:
    """Build the graph and write it."""
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["codes", "query"], ["dots"])],
        "int8_dot",
        [
            helper.make_tensor_value_info("codes", TensorProto.UINT8, ["rows", "dimension"]),
            helper.make_tensor_value_info("query", TensorProto.INT8, ["dimension", 1]),
        ],
        [helper.make_tensor_value_info("dots", TensorProto.INT32, ["rows", 1])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=9)
    TARGET.write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
