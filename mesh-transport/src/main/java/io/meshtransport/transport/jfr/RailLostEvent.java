// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jfr;

import io.meshtransport.spi.Route;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A channel goes on without one of its rails. */
@Name("io.meshtransport.RailLost")
@Label("Rail Lost")
@Description("A channel of several rails lost one, and goes on over the others")
@Category({"Mesh Transport", "Connections"})
@StackTrace(false)
final class RailLostEvent extends Event {
  @Label("Peer")
  @Description("First eight digits of the peer's node id")
  String peer;

  @Label("Peer Name")
  @Description("The peer's setting MESH_NODE; empty if it has none")
  String peerName;

  @Label("Rail")
  @Description("Number of the rail, the same at both ends")
  int rail;

  @Label("Local NIC")
  String localNic;

  @Label("Reason")
  String reason;

  @Label("Message")
  String message;

  @Label("Rails Left")
  int railsLeft;

  static void commit(Route route, int rail, String nic, FailureText why, int left) {
    RailLostEvent event = new RailLostEvent();
    if (event.shouldCommit()) {
      event.peer = route.peer();
      event.peerName = route.peerName();
      event.rail = rail;
      event.localNic = nic;
      event.reason = why.reasonName();
      event.message = why.text();
      event.railsLeft = left;
      event.commit();
    }
  }
}
