// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.VerbsException;
import java.util.concurrent.CompletionStage;

/**
 * A queue pair as callers see it: checks what they may do in which state, acquires the device's
 * lock, and leaves the rest to the {@link RcEngine}.
 */
final class SoftQueuePair implements QueuePair {
  private final SoftProtectionDomain domain;
  private final SoftDevice device;
  private final QueuePairCapabilities capabilities;
  private final RcEngine engine;
  private int access;
  private boolean isClosed;

  SoftQueuePair(
      SoftProtectionDomain domain,
      int number,
      QueuePairCapabilities capabilities,
      SoftCompletionQueue sends,
      SoftCompletionQueue receives) {
    this.domain = domain;
    this.device = domain.device();
    this.capabilities = capabilities;
    this.engine = new RcEngine(domain, number, capabilities, sends, receives);
  }

  RcEngine engine() {
    return engine;
  }

  @Override
  public int number() {
    return engine.number();
  }

  @Override
  public QueuePairCapabilities capabilities() {
    return capabilities;
  }

  @Override
  public QueuePairState state() throws VerbsException {
    return device.lockedResult(
        () -> {
          requireOpen();
          return engine.state();
        });
  }

  @Override
  public void toInit(InitAttributes attributes) throws VerbsException {
    device.requirePort(attributes.port());
    device.lockedThrowing(
        () -> {
          requireArrow(QueuePairState.INIT);
          access = attributes.access();
          engine.toInit();
        });
  }

  @Override
  public void toReadyToReceive(ReadyToReceiveAttributes attributes) throws VerbsException {
    StreamAddress ends = device.streamAddress(number(), attributes);
    device.lockedThrowing(
        () -> {
          requireArrow(QueuePairState.RTR);
          engine.toReadyToReceive(attributes, access);
          engine.connect(ends, attributes.peer().wireKey());
        });
  }

  @Override
  public void toReadyToSend(ReadyToSendAttributes attributes) throws VerbsException {
    device.lockedThrowing(
        () -> {
          requireArrow(QueuePairState.RTS);
          if (engine.state() == QueuePairState.RTR) {
            engine.toReadyToSend(attributes);
          }
        });
  }

  @Override
  public void announceShutdown() {
    device.locked(engine::announceShutdown);
  }

  @Override
  public void toError() throws VerbsException {
    device.lockedThrowing(
        () -> {
          requireArrow(QueuePairState.ERR);
          engine.fail();
        });
  }

  @Override
  public void toReset() throws VerbsException {
    device.lockedThrowing(
        () -> {
          requireArrow(QueuePairState.RESET);
          engine.toReset();
        });
  }

  @Override
  public CompletionStage<Void> connected() {
    device.lock().lock();
    try {
      return engine.connected();
    } finally {
      device.lock().unlock();
    }
  }

  @Override
  public String connectionText() {
    device.lock().lock();
    try {
      return engine.connectionText();
    } finally {
      device.lock().unlock();
    }
  }

  @Override
  public long silenceNs() {
    device.lock().lock();
    try {
      return engine.silenceNs();
    } finally {
      device.lock().unlock();
    }
  }

  private void requireArrow(QueuePairState next) throws VerbsException {
    requireOpen();
    if (!engine.state().mayBecome(next)) {
      throw new VerbsException(
          Errno.EINVAL,
          String.format(
              "queue pair 0x%06x cannot go from %s to %s; reset it first",
              number(), engine.state(), next));
    }
  }

  private void requireOpen() throws VerbsException {
    if (isClosed) {
      throw new VerbsException(Errno.EBADF, String.format("queue pair 0x%06x is closed", number()));
    }
  }

  @Override
  public SendChain newSendChain(int capacity) {
    return new SoftSendChain(capacity, capabilities.sendSges());
  }

  @Override
  public ReceiveChain newReceiveChain(int capacity) {
    return new SoftReceiveChain(capacity, capabilities.receiveSges());
  }

  @Override
  public int postSend(SendChain chain) {
    device.lock().lock();
    try {
      return post((SoftSendChain) chain);
    } finally {
      device.lock().unlock();
    }
  }

  private int post(SoftSendChain chain) {
    boolean wasIdle = engine.sendQueue().isEmpty();
    int errno = 0;
    int posted = 0;
    while (posted < chain.size() && (errno = add(chain.get(posted))) == 0) {
      posted++;
    }
    chain.refusedIndex(posted);
    if (posted > 0) {
      engine.sendPosted(wasIdle);
    }
    return errno;
  }

  private int add(SendRequest request) {
    if (isClosed) {
      return Errno.EBADF;
    }
    boolean maySend = engine.state() == QueuePairState.RTS || engine.state() == QueuePairState.ERR;
    if (!maySend || !request.isWellFormed(capabilities.inlineBytes())) {
      return Errno.EINVAL;
    }
    if (engine.sendQueue().isFull()) {
      return Errno.ENOMEM;
    }
    return engine.sendQueue().add(request, device.keys(), domain) ? 0 : Errno.EINVAL;
  }

  @Override
  public int postReceive(ReceiveChain chain) {
    device.lock().lock();
    try {
      return post((SoftReceiveChain) chain);
    } finally {
      device.lock().unlock();
    }
  }

  private int post(SoftReceiveChain chain) {
    int errno = 0;
    int posted = 0;
    while (posted < chain.size() && (errno = add(chain.get(posted))) == 0) {
      posted++;
    }
    chain.refusedIndex(posted);
    if (engine.state() == QueuePairState.ERR) {
      engine.flushPosted();
    }
    return errno;
  }

  private int add(ReceiveRequest request) {
    if (isClosed) {
      return Errno.EBADF;
    }
    if (engine.state() == QueuePairState.RESET || request.sges.isOverfull()) {
      return Errno.EINVAL;
    }
    if (engine.receiveQueue().isFull()) {
      return Errno.ENOMEM;
    }
    engine.receiveQueue().add(request);
    return 0;
  }

  @Override
  public void close() throws VerbsException {
    device.lockedThrowing(this::closeOnce);
  }

  private void closeOnce() {
    if (!isClosed) {
      isClosed = true;
      engine.close();
      engine.sendCompletions().removeUser(engine);
      engine.receiveCompletions().removeUser(engine);
      device.queuePairs().remove(engine);
      domain.childClosed();
    }
  }
}
