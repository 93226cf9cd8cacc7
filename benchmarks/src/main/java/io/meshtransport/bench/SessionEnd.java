// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.session.MessageHandler;
import io.meshtransport.session.PeerSession;
import io.meshtransport.session.PeerState;
import io.meshtransport.session.Reply;
import io.meshtransport.session.Session;
import io.meshtransport.session.SessionOptions;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * An end that makes calls over a {@link Session}: each caller calls and gets its reply, and the
 * other end answers on its session's thread with what it has received. Calls only.
 */
final class SessionEnd implements BenchEnd {
  private static final Duration SETUP = Duration.ofSeconds(20);
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long RUN_LIMIT_S = 600;

  private final Transport transport;
  private final Session session;
  private final Echo echo = new Echo();
  private volatile String peerName;
  private volatile byte[] peerHandle;

  /** Answers every request with itself. */
  private static final class Echo implements MessageHandler {
    private final BlockingQueue<Long> ends = new LinkedBlockingQueue<>();
    private long count;

    @Override
    public void onMessage(PeerSession from, ByteBuffer message) {
      throw new IllegalStateException("only requests are measured");
    }

    @Override
    public void onRequest(PeerSession from, ByteBuffer request, Reply reply) {
      boolean isEnd = Callers.isEnd(request, request.position());
      reply.send(request);
      if (isEnd) {
        ends.add(count);
        count = 0;
      } else {
        count++;
      }
    }
  }

  private SessionEnd(Transport transport) throws TransportException {
    this.transport = transport;
    session =
        Session.open(
            transport,
            name -> name.equals(peerName) ? Optional.of(peerHandle) : Optional.empty(),
            echo,
            SessionOptions.DEFAULT);
  }

  /**
   * @param settings besides those of the environment; both ends are on one host, so MESH_NODE must
   *     tell them apart
   */
  static SessionEnd open(Map<String, String> settings) throws TransportException {
    Transport transport = Transport.open(settings);
    try {
      return new SessionEnd(transport);
    } catch (TransportException e) {
      transport.close();
      throw e;
    }
  }

  @Override
  public String address() {
    return session.name() + " " + Base64.getEncoder().encodeToString(session.handle());
  }

  @Override
  public void connect(String address, boolean initiates, int connections)
      throws TransportException, InterruptedException {
    BenchEnd.requireOne(connections);
    if (!initiates) {
      return;
    }
    String[] parts = address.split(" ");
    peerHandle = Base64.getDecoder().decode(parts[1]);
    peerName = parts[0];
    PeerSession peer = session.to(peerName);
    peer.connectNow();
    long endNs = System.nanoTime() + SETUP.toNanos();
    while (peer.state() != PeerState.OPEN) {
      if (endNs - System.nanoTime() <= 0) {
        throw new IllegalStateException("the session has not connected: " + peer);
      }
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  @Override
  public Measurement initiate(Workload workload, RunClock clock)
      throws TransportException, InterruptedException {
    requireCalls(workload);
    int bytes = workload.messageBytes();
    PeerSession peer = session.to(peerName);
    ByteBuffer requests = ByteBuffer.allocateDirect(Callers.slots(workload.window()) * bytes);
    Callers callers = new Callers(workload.window(), bytes, requests);
    Measurement measured =
        callers.run(
            clock,
            id -> {
              ByteBuffer request = requests.duplicate();
              request.position(callers.offset(id)).limit(callers.offset(id) + bytes);
              callers.replied(peer.call(request, LIMIT), 0);
            });
    ByteBuffer end = ByteBuffer.allocate(SequencedPayload.BYTES).putLong(0, SequencedPayload.END);
    peer.call(end, LIMIT);
    return measured;
  }

  @Override
  public Measurement respond(Workload workload, RunClock clock) throws InterruptedException {
    requireCalls(workload);
    Long count = echo.ends.poll(RUN_LIMIT_S, TimeUnit.SECONDS);
    if (count == null) {
      throw new IllegalStateException("the run has not ended within " + RUN_LIMIT_S + " s");
    }
    return Measurement.ofResponder(count, 0);
  }

  private static void requireCalls(Workload workload) {
    if (workload.kind() != Workload.Kind.CALLS) {
      throw new IllegalArgumentException(workload + " is not measured over sessions");
    }
  }

  @Override
  public void close() {
    session.close();
    transport.close();
  }
}
