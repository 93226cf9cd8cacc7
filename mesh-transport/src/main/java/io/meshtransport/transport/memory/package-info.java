// SPDX-License-Identifier: Apache-2.0
/**
 * Registered memory: {@link io.meshtransport.transport.memory.MemoryRegistry} registers and
 * allocates it, {@link io.meshtransport.transport.memory.UnregisteredBuffers} makes do for buffers
 * that are not registered, {@link io.meshtransport.transport.memory.RemoteKey} is what a peer needs
 * for puts and gets.
 *
 * <p>Above it are the packages of channels, whose requests retain memory while they use it; below
 * it {@code device}, which registers with every NIC at once. {@code MemoryPoolTest}, {@code
 * RegistrationCacheTest}, {@code BounceBufferPoolTest} and {@code RemoteKeyTest} test its classes.
 */
package io.meshtransport.transport.memory;
