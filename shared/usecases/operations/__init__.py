"""What an operator looks at and sets right on either platform: dead letters, executions, schedules."""
