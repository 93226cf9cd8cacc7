// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jfr;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Route;
import jdk.jfr.FlightRecorder;

/**
 * Writes to the JDK's flight recorder. Any thread may call it. As long as nothing has recorded in
 * this process a call costs the reading of one static field, and no event class is loaded: the
 * first one loads a hundred classes of the recorder, in tens of milliseconds. Where the Java
 * runtime has no module jdk.jfr, no class of that module is touched.
 *
 * <p>Only the methods here name classes of that module and their children, so that this class loads
 * without them.
 */
public final class FlightEvents {
  /** A constant for the compiler. */
  private static final boolean IS_AVAILABLE = isAvailable("jdk.jfr.FlightRecorder");

  private FlightEvents() {}

  private static boolean isAvailable(String className) {
    try {
      Class.forName(className, false, FlightEvents.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /** Whether a recording has begun in this process, now or earlier. */
  private static boolean isInUse() {
    return IS_AVAILABLE && FlightRecorder.isInitialized();
  }

  /**
   * A handshake begins.
   *
   * @return gets the end; {@link HandshakeSpan#NONE} if nothing records handshakes
   */
  public static HandshakeSpan handshakeBegins(HandshakeEnds ends) {
    return isInUse() ? HandshakeEvent.begin(ends) : HandshakeSpan.NONE;
  }

  /** Whether changes of the states of channels are recorded now. */
  public static boolean areStatesRecorded() {
    return isInUse() && ChannelStateEvent.isRecorded();
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
    if (isInUse()) {
      RailLostEvent.commit(route, rail, nic, why, left);
    }
  }

  /** Whether requests are timed now. */
  public static boolean areRequestsTimed() {
    return isInUse() && SlowRequestEvent.isRecorded();
  }
}
