// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.kernels;

import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Precision;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.kernel.Accumulation;
import io.meshtransport.collectives.kernel.Kernel;
import io.meshtransport.collectives.kernel.Kernels;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Measures all kernels of the Java that runs it; a line of standard output for each. */
public final class KernelMain {
  private static final List<DataType> HALVES = List.of(DataType.F16, DataType.BF16);

  /** Of AVG, which folds as SUM does, there is nothing to measure. */
  private static final List<ReduceOp> OPS =
      Arrays.stream(ReduceOp.values()).filter(op -> op != ReduceOp.AVG).toList();

  private static final List<ReduceOp> BITWISE = List.of(ReduceOp.AND, ReduceOp.OR, ReduceOp.XOR);

  private final KernelPlan plan;
  private final ByteBuffer accumulator;
  private final ByteBuffer operand;
  private final Consumer<KernelFigure> found;

  KernelMain(KernelPlan plan, Consumer<KernelFigure> found) {
    this.plan = plan;
    this.accumulator = buffer(plan.bytes() * 2);
    this.operand = buffer(plan.bytes());
    this.found = found;
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }

  /**
   * @param args KiB of an operand, and milliseconds of a measurement
   */
  public static void main(String[] args) {
    KernelPlan plan = new KernelPlan(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
    new KernelMain(plan, figure -> System.out.println(figure.line())).run();
  }

  void run() {
    for (DataType type : DataType.values()) {
      for (ReduceOp op : OPS) {
        if (isMeasured(type, op)) {
          measure(type + " " + op, Kernels.of(type, op), type, op);
        }
      }
    }
    for (DataType type : HALVES) {
      Accumulation exact = Accumulation.of(type, ReduceOp.SUM, Precision.EXACT);
      measure(type + " in F32 SUM", exact.elementsKernel(), type, ReduceOp.SUM);
    }
  }

  private static boolean isMeasured(DataType type, ReduceOp op) {
    return switch (type) {
      case F16, BF16 -> op == ReduceOp.SUM;
      case F32, F64 -> !BITWISE.contains(op);
      case I32, I64, I8, U8 -> true;
    };
  }

  private void measure(String name, Kernel kernel, DataType type, ReduceOp op) {
    int count = plan.bytes() / type.bytes();
    Runnable fold = () -> kernel.fold(accumulator, 0, operand, 0, count);
    Runnable loop = HeapLoop.of(type, op, plan.bytes());
    Duel duel = new Duel(plan.bytes(), plan.millis());
    double[] rates = duel.rates(fold, loop);
    String way = Kernels.hasVectors() ? "vectors" : "blocks";
    found.accept(new KernelFigure(Runtime.version().feature(), way, name, rates[0], rates[1]));
  }
}
