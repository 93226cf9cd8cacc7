// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jfr;

import io.meshtransport.spi.ChannelState;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** One change of the state of a channel or connection. */
@Name("io.meshtransport.ChannelState")
@Label("Channel State")
@Description("A channel or connection changed its state")
@Category({"Mesh Transport", "Connections"})
@StackTrace(false)
final class ChannelStateEvent extends Event {
  /** Answers whether the event is recorded; never committed. */
  private static final ChannelStateEvent PROBE = new ChannelStateEvent();

  @Label("Channel")
  @Description("Number of the channel in this process, as JMX shows it; 0 during set-up")
  long channel;

  @Label("Direction")
  @Description("to at the end that connected, from at the end that accepted")
  String direction;

  @Label("Peer")
  @Description("First eight digits of the peer's node id")
  String peer;

  @Label("Peer Name")
  @Description("The peer's setting MESH_NODE; empty if it is unknown")
  String peerName;

  @Label("Route")
  String route;

  @Label("Max Requests")
  @Description("Requests that may be outstanding at once; 0 during set-up")
  int maxRequests;

  @Label("From")
  String from;

  @Label("To")
  String to;

  @Label("Reason")
  @Description("Why it failed; empty if it did not")
  String reason;

  @Label("Message")
  @Description("Why it failed, for people; empty if it did not")
  String message;

  static boolean isRecorded() {
    return PROBE.isEnabled();
  }

  static void commit(ChannelLabel label, ChannelState from, ChannelState to, FailureText why) {
    ChannelStateEvent event = new ChannelStateEvent();
    event.channel = label.number();
    event.direction = label.direction();
    event.peer = label.peer();
    event.peerName = label.peerName();
    event.route = label.route();
    event.maxRequests = label.maxRequests();
    event.from = from.name();
    event.to = to.name();
    event.reason = why.reasonName();
    event.message = why.text();
    event.commit();
  }
}
