// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.relay.Relay;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;

/**
 * A {@link MeshEnd} whose node runs a relay, so that the other end needs no common cable. A node
 * between two ends has one that never connects.
 */
final class RelayedEnd implements BenchEnd {
  private static final Duration SETUP = Duration.ofSeconds(20);
  private static final int POLL_MS = 5;

  private final Transport transport;
  private final Mesh mesh;
  private final Relay relay;
  private final MeshEnd end;

  private RelayedEnd(Transport transport, Mesh mesh, Relay relay, MeshEnd end) {
    this.transport = transport;
    this.mesh = mesh;
    this.relay = relay;
    this.end = end;
  }

  /**
   * @param settings besides those of the environment
   */
  static RelayedEnd open(Map<String, String> settings) throws TransportException {
    Transport transport = Transport.open(settings);
    try {
      Mesh mesh = Mesh.join(transport, settings);
      // Before the listener: its handle is to say that relays lead here.
      Relay relay = Relay.start(mesh, settings);
      return new RelayedEnd(transport, mesh, relay, MeshEnd.over(transport));
    } catch (TransportException e) {
      transport.close();
      throw e;
    }
  }

  @Override
  public String address() {
    return end.address();
  }

  @Override
  public void connect(String address, boolean initiates, int connections)
      throws TransportException, InterruptedException {
    String peer = transport.nodeId(Base64.getDecoder().decode(address));
    long endNs = System.nanoTime() + SETUP.toNanos();
    while (!relay.reaches(peer) && System.nanoTime() - endNs < 0) {
      Thread.sleep(POLL_MS);
    }
    end.connect(address, initiates, connections);
  }

  @Override
  public Measurement initiate(Workload workload, RunClock clock) throws TransportException {
    return end.initiate(workload, clock);
  }

  @Override
  public Measurement respond(Workload workload, RunClock clock) throws TransportException {
    return end.respond(workload, clock);
  }

  @Override
  public void close() {
    relay.close();
    mesh.close();
    end.close();
  }
}
