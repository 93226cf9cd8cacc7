// SPDX-License-Identifier: Apache-2.0
/**
 * JGroups over Mesh Transport: the classes that a stack names and those that touch JGroups' types.
 * A stack names {@link io.meshtransport.jgroups.MESH} where it would name TCP, and may name {@link
 * io.meshtransport.jgroups.MESH_PING}, {@link io.meshtransport.jgroups.RegisteredTransferQueue} and
 * {@link io.meshtransport.jgroups.RegisteredPerDestination}; their names are API and stay.
 *
 * <p>{@code MESH} checks its attributes and is the door for sends; {@code MeshRuntime} puts
 * together what lives from start to stop, and makes of a session's messages and ends what JGroups
 * wants; {@code BundleOutput} writes a bundle into a slot of the session, {@code BundleSender}
 * sends it, {@code Delivery} and {@code BufferDataInput} hand received bundles to JGroups; {@code
 * GroupMembers} knows the last view.
 *
 * <p>Below: {@code session} with its {@code session.directory}. Above: JGroups, Infinispan,
 * WildFly.
 *
 * <p>Tests: {@code MeshAttributesTest}, {@code MeshSettingsTest}, {@code GroupMembersTest} and
 * {@code SocketlessTransportTest} for the classes of these names; {@code DiscoveryTest} for {@code
 * MESH_PING}; {@code MeshLifeTest} for {@code MESH} and {@code MeshRuntime}; {@code
 * MeshIntruderTest} for {@code BundleSender} and for what hostile nodes do; {@code ProgramsTest},
 * {@code StackFileTest} and {@code VersionsTest} with the versions, stacks and programs of JGroups
 * ({@code Bundlers}, {@code Delivery}, {@code ProtocolIds}); whole groups are tested by the module
 * {@code jgroups-demo} ({@code MeshPorts}, {@code MeshIdentity}).
 */
package io.meshtransport.jgroups;
