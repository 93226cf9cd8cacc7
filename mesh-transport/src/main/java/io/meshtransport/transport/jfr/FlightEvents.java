// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jfr;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Route;

/**
 * Writes to the JDK's flight recorder. Any thread may call it. While nothing records, a call costs
 * a comparison that the compiler removes; where the Java runtime has no module jdk.jfr, no class of
 * that module is touched.
 *
 * <p>Only the methods here name the event classes, so that this class loads without their parent.
 */
public final class FlightEvents {
  /** A constant for the compiler. */
  private static final boolean IS_AVAILABLE = isAvailable("jdk.jfr.Event");

  private FlightEvents() {}

  private static boolean isAvailable(String className) {
    try {
      Class.forName(className, false, FlightEvents.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /**
   * A handshake begins.
   *
   * @return gets the end; {@link HandshakeSpan#NONE} if nothing records handshakes
   */
  public static HandshakeSpan handshakeBegins(HandshakeEnds ends) {
    return IS_AVAILABLE ? HandshakeEvent.begin(ends) : HandshakeSpan.NONE;
  }

  /** Whether changes of the states of channels are recorded now. */
  public static boolean areStatesRecorded() {
    return IS_AVAILABLE && ChannelStateEvent.isRecorded();
  }

  /**
   * A channel has changed its state. To be called while {@link #areStatesRecorded}.
   *
   * @param why {@link FailureText#NONE} for a change that is no failure
   */
  public static void stateChanged(
      ChannelLabel channel, ChannelState from, ChannelState to, FailureText why) {
    ChannelStateEvent.commit(channel, from, to, why);
  }

  /**
   * A channel goes on without one of its rails.
   *
   * @param rail number of the lost rail
   * @param nic its local device, port and interface
   * @param left how many rails are left
   */
  public static void railLost(Route route, int rail, String nic, FailureText why, int left) {
    if (IS_AVAILABLE) {
      RailLostEvent.commit(route, rail, nic, why, left);
    }
  }

  /** Whether requests are timed now. */
  public static boolean areRequestsTimed() {
    return IS_AVAILABLE && SlowRequestEvent.isRecorded();
  }
}
