// Package alerts says which alerts of a rule file fire on given series: compiled once by `go test -c`.
package alerts

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/promqltest"
)

// Names and labels of the alerts that fire at an instant, `for` left aside, as one line of JSON.
func TestAlerts(t *testing.T) {
	groups, problems := rulefmt.ParseFile(os.Getenv("RULES"), false)
	for _, problem := range problems {
		t.Error(problem)
	}
	if len(problems) > 0 {
		return
	}
	at, err := time.ParseDuration(os.Getenv("AT"))
	if err != nil {
		t.Fatal(err)
	}
	storage := promqltest.LoadedStorage(t, os.Getenv("SERIES"))
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute})
	firing := map[string][]map[string]string{}
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			query, err := engine.NewInstantQuery(context.Background(), storage, nil, rule.Expr, time.Unix(0, 0).Add(at))
			if err != nil {
				t.Fatal(rule.Alert, err)
			}
			found, err := query.Exec(context.Background()).Vector()
			if err != nil {
				t.Fatal(rule.Alert, err)
			}
			for _, sample := range found {
				firing[rule.Alert] = append(firing[rule.Alert], sample.Metric.Map())
			}
		}
	}
	said, _ := json.Marshal(firing)
	fmt.Printf("\n%s\n", said)
}
