"""An object goes in; its page comes out: values, the objects inside it and those that lead to it, its history."""
