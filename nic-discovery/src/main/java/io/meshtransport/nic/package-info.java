// SPDX-License-Identifier: Apache-2.0
/**
 * Finds the ports of this host that are usable, and why the others are not. Everything here is a
 * value or only reads the host: nothing is opened, cached or changed, and any thread may call any
 * method.
 */
package io.meshtransport.nic;
