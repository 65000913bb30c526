// Package jail confines processes as far as the operating system can, and says
// honestly how far that was.
//
// The parent starts a child with Attributes and hands it to Adopt; the child calls Confine before
// it reads anything that it doesn't trust, and LimitData before each piece of
// work. Confine's Report is what to show: each measure says whether the system
// enforces it and by what means.
//
//	             filesystem    network                    memory
//	Linux        Landlock      network namespace,         RLIMIT_DATA
//	                           Landlock
//	Windows      no            no                         job object
//	others       no            no                         the process's own watch
//
// There is no filter of system calls. Memory is also watched from inside, by the
// worker, on every system.
package jail
