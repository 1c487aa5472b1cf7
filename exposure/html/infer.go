package html

func (d *decoder) infer() {}
