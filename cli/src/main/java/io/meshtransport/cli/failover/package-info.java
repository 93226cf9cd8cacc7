// SPDX-License-Identifier: Apache-2.0
/** What {@code mesh demo failover} shows: a cable pulled under a transfer costs no byte. */
package io.meshtransport.cli.failover;
