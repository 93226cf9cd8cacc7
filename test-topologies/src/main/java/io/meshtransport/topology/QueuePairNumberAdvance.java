// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.VerbsProviders;

/**
 * Uses up queue pair numbers of a device, which Soft-RoCE gives out one after the other: how a test
 * comes to numbers that a host with a long life has.
 */
final class QueuePairNumberAdvance {
  private static final QueuePairCapabilities SMALLEST = new QueuePairCapabilities(1, 1, 1, 1, 0);

  private final NodeCommand.AdvanceQueuePairNumbers command;

  QueuePairNumberAdvance(NodeCommand.AdvanceQueuePairNumbers command) {
    this.command = command;
  }

  NodeEvent run() {
    try (VerbsDevice device = VerbsProviders.choose("ibverbs").open(command.device());
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue queue = device.createCompletionQueue(1)) {
      int number = 0;
      while (number < command.upTo()) {
        int next = next(domain, queue);
        if (next <= number) {
          return new NodeEvent.Failed(
              "UNEXPECTED", "queue pair " + next + " after " + number + ": numbers do not ascend");
        }
        number = next;
      }
      return new NodeEvent.Done();
    } catch (VerbsException e) {
      return new NodeEvent.Failed("DEVICE", e.getMessage());
    }
  }

  private static int next(ProtectionDomain domain, CompletionQueue queue) throws VerbsException {
    try (QueuePair queuePair = domain.createQueuePair(SMALLEST, queue, queue)) {
      return queuePair.number();
    }
  }
}
