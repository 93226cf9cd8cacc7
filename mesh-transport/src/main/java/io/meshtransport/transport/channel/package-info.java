// SPDX-License-Identifier: Apache-2.0
/**
 * What every channel has, whatever its wire, its direction and the number of its endpoints: {@link
 * io.meshtransport.transport.channel.ChannelCore} with the lock and the parts (requests, status,
 * polling, clock, shutdown), and around it waiting, closing and the texts of failures. The wire is
 * behind {@link io.meshtransport.transport.channel.EndpointEvents}, the endpoints behind {@link
 * io.meshtransport.transport.channel.ChannelEndpoints}.
 *
 * <p>Above it are {@code message} and {@code ncclmesh}, the two wires; below it {@code endpoint},
 * {@code memory} and {@code stats}. {@code RequestsTest}, {@code ChannelShutdownTest}, {@code
 * LivenessTest}, {@code AdaptiveSpinTest} and {@code LifeCycleStatesTest} take single classes.
 */
package io.meshtransport.transport.channel;
