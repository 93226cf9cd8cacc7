// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.transport.memory.MemoryRegistry;
import io.meshtransport.transport.stats.TrafficTable;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What a channel needs of the transport it belongs to, and all that it knows of it. Immutable; any
 * thread.
 *
 * @param timing how long its waits are
 * @param traffic where it counts, by NIC and peer
 * @param memory whose memory its requests may use
 * @param executor runs what must not wait on the caller's thread: the transport's set-up thread
 * @param onClosed called once, under the channel's lock, when the channel has closed
 * @param attendants makes what follows a channel that is at no poller
 */
public record ChannelContext(
    ChannelTiming timing,
    TrafficTable traffic,
    MemoryRegistry memory,
    Executor executor,
    Consumer<MeshChannel> onClosed,
    Function<MeshChannel, ChannelAttendant> attendants) {}
