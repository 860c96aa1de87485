namespace verbund {}
