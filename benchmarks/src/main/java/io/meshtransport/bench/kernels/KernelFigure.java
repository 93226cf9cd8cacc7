// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.kernels;

/**
 * How fast a kernel is beside a plain loop over arrays on the heap, in the same JVM.
 *
 * @param java its feature version
 * @param way "blocks" through the heap, or "vectors" by the Vector API
 * @param name what is folded, as in "F32 SUM"; "F16 in F32 SUM" adds halves to floats
 * @param kernel bytes of the operand per nanosecond, which is GB/s
 * @param heap the same of the plain loop
 */
public record KernelFigure(int java, String way, String name, double kernel, double heap) {

  /** Above 1 the kernel is faster. */
  public double ratio() {
    return kernel / heap;
  }

  /** As a line of text that {@link #parse} reads. */
  String line() {
    return java + "\t" + way + "\t" + name + "\t" + kernel + "\t" + heap;
  }

  static KernelFigure parse(String line) {
    String[] fields = line.split("\t");
    if (fields.length != 5) {
      throw new IllegalArgumentException("no figure of a kernel: '" + line + "'");
    }
    return new KernelFigure(
        Integer.parseInt(fields[0]),
        fields[1],
        fields[2],
        Double.parseDouble(fields[3]),
        Double.parseDouble(fields[4]));
  }
}
