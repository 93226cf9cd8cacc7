// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.time.Duration;

/**
 * What guests are made of.
 *
 * @param memoryMiB of each guest, 512 to 65536; the host gives what a guest uses of it
 * @param processors of each guest, 1 to 16, emulated by as many threads of the host
 * @param bootLimit how long all guests together may take until the last of them takes orders
 */
public record LabOptions(int memoryMiB, int processors, Duration bootLimit) {
  /** One processor and 2 GiB each. Four guests boot in a quarter of this time on two idle cores. */
  public static final LabOptions STANDARD = new LabOptions(2048, 1, Duration.ofSeconds(180));

  public LabOptions {
    if (memoryMiB < 512 || memoryMiB > 65536) {
      throw new IllegalArgumentException("memory of " + memoryMiB + " MiB: 512 to 65536");
    }
    if (processors < 1 || processors > 16) {
      throw new IllegalArgumentException(processors + " processors: 1 to 16");
    }
    if (bootLimit.isNegative() || bootLimit.isZero()) {
      throw new IllegalArgumentException("a guest needs time to boot, not " + bootLimit);
    }
  }

  /** The same with other processors: a guest alone on a host of two cores may have both. */
  public LabOptions withProcessors(int number) {
    return new LabOptions(memoryMiB, number, bootLimit);
  }
}
