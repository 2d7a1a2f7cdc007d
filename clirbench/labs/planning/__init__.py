"""What a study needs: how many documents must be translated."""
