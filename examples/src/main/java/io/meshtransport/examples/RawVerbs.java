// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.examples;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.VerbsProviders;
import io.meshtransport.verbs.WorkCompletions;
import java.nio.ByteBuffer;

/** The verbs alone: two queue pairs of one device, and an RDMA WRITE from one to the other. */
public final class RawVerbs {
  private static final int PSN = 7;

  private RawVerbs() {}

  /**
   * @param arguments a provider and a device, as in {@code ibverbs mlx5_0}
   */
  public static void main(String[] arguments) throws VerbsException {
    try (VerbsDevice device = VerbsProviders.choose(arguments[0]).open(arguments[1]);
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue done = device.createCompletionQueue(16);
        QueuePair a = domain.createQueuePair(new QueuePairCapabilities(8, 8, 1, 1, 0), done, done);
        QueuePair b = domain.createQueuePair(new QueuePairCapabilities(8, 8, 1, 1, 0), done, done);
        MemoryRegion region =
            domain.register(
                ByteBuffer.allocateDirect(64), Access.LOCAL_WRITE | Access.REMOTE_WRITE)) {
      connect(device, a, b);
      connect(device, b, a);
      SendChain chain = a.newSendChain(1);
      chain.begin(1, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED);
      chain.sge(region.address(), 32, region.localKey());
      chain.remote(region.address() + 32, region.remoteKey());
      int errno = a.postSend(chain);
      WorkCompletions batch = done.newCompletions(1);
      long endNs = System.nanoTime() + 10_000_000_000L;
      while (errno == 0 && done.poll(batch) == 0 && System.nanoTime() - endNs < 0) {
        Thread.onSpinWait();
      }
      boolean isWritten = errno == 0 && batch.status(0) == CompletionStatus.SUCCESS;
      System.out.println(device.name() + ": " + (isWritten ? "written" : "failed"));
    }
  }

  /** INIT, RTR, RTS: each needs the other's number and address only, so the order is free. */
  private static void connect(VerbsDevice device, QueuePair own, QueuePair peer)
      throws VerbsException {
    GidEntry gid = device.gidTable(1).get(0);
    own.toInit(new InitAttributes(1, 0, Access.REMOTE_WRITE));
    PeerAddress address = new PeerAddress(gid.gid(), device.wirePort(), gid.index(), 64, 0, 0);
    own.toReadyToReceive(new ReadyToReceiveAttributes(address, peer.number(), PSN, 1024, 1, 12));
    own.toReadyToSend(new ReadyToSendAttributes(PSN, 14, 6, 6, 1));
  }
}
