// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.util.List;

/** How to start a JVM in a guest, whose processor is emulated and some twenty times slower. */
public final class GuestJvm {
  /**
   * For programs that run for a minute or two. A method must be called five times as often as usual
   * before it is compiled, and the second compiler is left out: what compilers make costs twice
   * here, once to make it and once for the emulator to translate it. Classes are not verified
   * either; the host verifies those it runs itself. Both together halve the time that a program
   * takes to start.
   */
  public static final List<String> QUICK_START =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:CompileThresholdScaling=5",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:-BytecodeVerificationRemote");

  private GuestJvm() {}
}
