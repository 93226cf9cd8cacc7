// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** A send, put or get that took longer than the threshold that the recording sets. */
@Name("io.meshtransport.SlowRequest")
@Label("Slow Request")
@Description(
    "A send, put or get that took longer than the threshold, from its call until a poll found its end")
@Category({"Mesh Transport", "Requests"})
@StackTrace(false)
@Threshold("100 ms")
final class SlowRequestEvent extends Event {
  /** Answers whether the event is recorded; never committed. */
  private static final SlowRequestEvent PROBE = new SlowRequestEvent();

  @Label("Channel")
  @Description("Number of the channel in this process, as JMX shows it")
  long channel;

  @Label("Peer")
  @Description("First eight digits of the peer's node id")
  String peer;

  @Label("Peer Name")
  @Description("The peer's setting MESH_NODE; empty if it has none")
  String peerName;

  @Label("Route")
  String route;

  @Label("Kind")
  @Description("SENT, PUT or GOT")
  String kind;

  @Label("Length")
  @Description("Bytes of the message; 0 if it failed")
  @DataAmount
  long length;

  @Label("Reason")
  @Description("Why it failed; empty if it did not")
  String reason;

  /** No object is made. */
  static boolean isRecorded() {
    return PROBE.isEnabled();
  }
}
