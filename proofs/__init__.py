"""What is claimed: kernel, checkers, ledger, certificates, reports and the command line."""
