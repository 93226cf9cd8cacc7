// SPDX-License-Identifier: Apache-2.0
/**
 * The verbs over libibverbs: {@link io.meshtransport.verbs.ibverbs.IbverbsProvider}, found by
 * {@link io.meshtransport.verbs.VerbsProviders}, and what it needs. Calls go through JNA, or on
 * Java 22 and newer through {@code java.lang.foreign}; the data path calls the function pointers of
 * the device's driver directly. Every offset and size of a C struct is in {@code Layout}, and
 * {@code LayoutCheck} compares them with the library before the first use.
 *
 * <p>Nothing outside this package names its classes, except the benchmarks that measure a call.
 */
package io.meshtransport.verbs.ibverbs;
