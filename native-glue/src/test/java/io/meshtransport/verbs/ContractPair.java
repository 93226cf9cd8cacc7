// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Endpoint.Done;
import io.meshtransport.verbs.Endpoint.Setup;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Two devices that can reach each other, and the endpoints a contract test makes on them. Whoever
 * waits polls: that moves bytes on soft devices and virtual time in a simulated fabric. Confined to
 * the test's thread.
 */
public final class ContractPair implements AutoCloseable {
  private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);
  private static final int FIRST_PSN_A = 0x123456;

  /** The last number there is: the next one has to wrap. */
  private static final int FIRST_PSN_B = 0xFFFFFF;

  public final VerbsDevice left;
  public final VerbsDevice right;
  public final Traits traits;
  public Endpoint a;
  public Endpoint b;
  private final List<Endpoint> endpoints = new ArrayList<>();

  /** The pair owns both devices. */
  public ContractPair(VerbsDevice left, VerbsDevice right, Traits traits) {
    this.left = left;
    this.right = right;
    this.traits = traits;
  }

  /** Endpoints on both sides, still in RESET. */
  public void make(Setup setupA, Setup setupB) throws VerbsException {
    a = new Endpoint(left, setupA, FIRST_PSN_A);
    b = new Endpoint(right, setupB, FIRST_PSN_B);
    endpoints.add(a);
    endpoints.add(b);
  }

  public void connect() throws VerbsException {
    connect(Setup.usual());
  }

  public void connect(Setup setup) throws VerbsException {
    connect(setup, setup);
  }

  public void connect(Setup setupA, Setup setupB) throws VerbsException {
    make(setupA, setupB);
    Endpoint.connect(a, b);
  }

  /** The next completions of a queue, exactly so many. */
  public List<Done> await(Endpoint endpoint, CompletionQueue queue, int count) {
    List<Done> done = new ArrayList<>();
    long endNs = System.nanoTime() + DEADLINE_NS;
    while (done.size() < count) {
      assertTrue(System.nanoTime() - endNs < 0, () -> "of " + count + " completions only " + done);
      done.addAll(endpoint.poll(queue, count - done.size()));
    }
    return done;
  }

  public Done sent(Endpoint endpoint) {
    return await(endpoint, endpoint.sends, 1).get(0);
  }

  public Done received(Endpoint endpoint) {
    return await(endpoint, endpoint.receives, 1).get(0);
  }

  /** The next send completion is that id with that status. */
  public void expectSent(Endpoint endpoint, long id, CompletionStatus status) {
    Done done = sent(endpoint);
    assertEquals(id + " " + status, done.id() + " " + done.status());
  }

  public void expectReceived(Endpoint endpoint, long id, CompletionStatus status) {
    Done done = received(endpoint);
    assertEquals(id + " " + status, done.id() + " " + done.status());
  }

  public void awaitState(Endpoint endpoint, QueuePairState state) throws VerbsException {
    long endNs = System.nanoTime() + DEADLINE_NS;
    while (endpoint.queuePair.state() != state) {
      assertTrue(System.nanoTime() - endNs < 0, () -> "never became " + state);
      assertEquals(List.of(), endpoint.poll(endpoint.sends, 1));
    }
  }

  public AsyncEvent awaitEvent(Endpoint endpoint, AsyncEvent.Type type) throws VerbsException {
    long endNs = System.nanoTime() + DEADLINE_NS;
    while (true) {
      Optional<AsyncEvent> event = endpoint.device.pollAsyncEvent();
      if (event.isPresent() && event.get().type() == type) {
        return event.get();
      }
      assertTrue(System.nanoTime() - endNs < 0, () -> "no event " + type);
      endpoint.poll(endpoint.sends, 1);
    }
  }

  @Override
  public void close() throws VerbsException {
    for (Endpoint endpoint : endpoints) {
      endpoint.close();
    }
    left.close();
    right.close();
  }
}
