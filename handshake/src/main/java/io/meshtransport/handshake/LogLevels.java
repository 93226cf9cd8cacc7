// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.logging.log4j.Level;

/**
 * The log levels of the lines that MESH_DEBUG controls. Programs usually show INFO and not DEBUG,
 * and changing that differs between logging back ends; so MESH_DEBUG raises lines to INFO instead.
 * The setting is one for the process, like its log: the highest MESH_DEBUG of any transport that
 * was opened counts. Any thread may call it.
 */
public final class LogLevels {
  private static final AtomicInteger DEBUG = new AtomicInteger();

  private LogLevels() {}

  /**
   * Notes that a transport is being opened.
   *
   * @param debug its MESH_DEBUG, 0 to 2
   */
  public static void raise(int debug) {
    DEBUG.accumulateAndGet(debug, Math::max);
  }

  /** Of decisions and changes of state: INFO from MESH_DEBUG=1 on. */
  public static Level decision() {
    return DEBUG.get() >= 1 ? Level.INFO : Level.DEBUG;
  }

  /** Of each step of a handshake: INFO with MESH_DEBUG=2. */
  public static Level step() {
    return DEBUG.get() >= 2 ? Level.INFO : Level.TRACE;
  }
}
