"""Files the code writes about itself: schemas, catalogue, diagrams."""
