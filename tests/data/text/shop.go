package shop

import "fmt"

// Price is in cents.
type Price int

// Total adds the prices up.
func Total(prices []Price) Price {
	sum := Price(0)
	for _, each := range prices {
		sum += each
	}
	return sum
}
