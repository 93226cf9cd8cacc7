// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jfr;

import io.meshtransport.spi.TransportException.Reason;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** One handshake over one cable, from its beginning to its outcome. */
@Name("io.meshtransport.Handshake")
@Label("Handshake")
@Description("A handshake with a peer over one NIC, at the connecting or the accepting end")
@Category({"Mesh Transport", "Connections"})
@StackTrace(false)
final class HandshakeEvent extends Event implements HandshakeSpan {
  static final String READY = "READY";

  @Label("Side")
  @Description("connecting or accepting")
  String side;

  @Label("Peer")
  @Description("First eight digits of the peer's node id")
  String peer;

  @Label("Peer Name")
  @Description("The peer's setting MESH_NODE; empty if it is unknown")
  String peerName;

  @Label("Local NIC")
  String localNic;

  @Label("Local Address")
  String localAddress;

  @Label("Peer Address")
  String peerAddress;

  @Label("Rail")
  @Description("Number of the rail that it makes; 0 for the first or only one")
  int rail;

  @Label("Outcome")
  @Description("READY, or the reason of the failure")
  String outcome;

  @Label("Message")
  @Description("Why it failed; empty if it did not")
  String message;

  static HandshakeSpan begin(HandshakeEnds ends) {
    HandshakeEvent event = new HandshakeEvent();
    if (!event.isEnabled()) {
      return HandshakeSpan.NONE;
    }
    event.side = ends.isConnecting() ? "connecting" : "accepting";
    event.peer = ends.peer();
    event.peerName = ends.peerName();
    event.localNic = ends.localNic();
    event.localAddress = ends.localAddress();
    event.peerAddress = ends.peerAddress();
    event.rail = ends.rail();
    event.begin();
    return event;
  }

  @Override
  public void ready(String name) {
    peerName = name;
    over(READY, "");
  }

  @Override
  public void failed(Reason why, String text) {
    over(why.name(), text);
  }

  private void over(String newOutcome, String newMessage) {
    outcome = newOutcome;
    message = newMessage;
    commit();
  }
}
