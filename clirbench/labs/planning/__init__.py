"""What a study needs: how many systems and topics, and how many documents must be translated."""
