package main

import (
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/fold"
	"github.com/tailspan/tailspan/telemetry"
)

// priceFlag is a file of prices for estimates of the cost.
type priceFlag struct {
	path string
	list telemetry.Prices
}

func (p *priceFlag) add(f *flags) {
	f.StringVar(&p.path, "prices", "", "estimate the cost by the prices in this file, where the agent reports none")
}

func (p *priceFlag) read() (err error) {
	p.list, err = fold.ReadPrices(p.path)
	return err
}
