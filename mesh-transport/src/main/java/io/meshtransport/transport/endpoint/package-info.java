// SPDX-License-Identifier: Apache-2.0
/**
 * A queue pair with its completion queue and channel ({@link
 * io.meshtransport.transport.endpoint.VerbsEndpoint}), what our wire adds to it ({@link
 * io.meshtransport.transport.endpoint.MeshEndpoint}), and the layout of what goes over it: control
 * messages, immediate data, numbers of work requests.
 *
 * <p>Above it are the packages of channels; below it {@code device} and, as the border, the verbs.
 * {@code ControlMessageTest}, {@code ImmediateDataTest} and {@code WorkRequestIdTest} pin the
 * layouts bit by bit, {@code LinkSetUpTest} the calls that bring a queue pair up.
 */
package io.meshtransport.transport.endpoint;
