// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.logging.log4j.Level;

/**
 * At which levels the log has what MESH_DEBUG asks for. Programs show INFO and not DEBUG as a rule,
 * and how to change that differs from back end to back end; so MESH_DEBUG raises lines to INFO
 * instead. As the log is one for the process, so is this: what counts is the most that any
 * transport opened in it has asked for. Any thread may call it.
 */
public final class LogLevels {
  private static final AtomicInteger DEBUG = new AtomicInteger();

  private LogLevels() {}

  /**
   * A transport is being opened.
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
