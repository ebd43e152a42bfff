// Package alerts plays the alerts of a rule file over given series: compiled once by `go test -c`.
package alerts

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
)

const (
	step  = time.Minute
	until = 4 * time.Hour
)

// change is an alert that became pending, firing or inactive, some minutes after the beginning.
type change struct {
	Minute  int               `json:"minute"`
	Alert   string            `json:"alert"`
	Labels  map[string]string `json:"labels"`
	State   string            `json:"state"`
	Summary string            `json:"summary"`
}

// Every change of every alert's state within four hours, evaluated each minute, as one line of JSON.
func TestAlerts(t *testing.T) {
	ctx, begin := context.Background(), time.Unix(0, 0)
	storage := promqltest.LoadedStorage(t, os.Getenv("SERIES"))
	query := rules.EngineQueryFunc(promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute}), storage)
	manager := rules.NewManager(&rules.ManagerOptions{Context: ctx, QueryFunc: query, Logger: promslog.NewNopLogger()})
	groups, problems := manager.LoadGroups(step, labels.EmptyLabels(), "", nil, false, os.Getenv("RULES"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	before, changes := map[string]change{}, []change{}
	for at := time.Duration(0); at <= until; at += step {
		now := map[string]change{}
		for _, group := range groups {
			for _, rule := range group.AlertingRules() {
				if _, err := rule.Eval(ctx, 0, begin.Add(at), query, &url.URL{}, 0); err != nil {
					t.Fatal(rule.Name(), err)
				}
				for _, alert := range rule.ActiveAlerts() {
					now[alert.Labels.String()] = change{
						int(at / time.Minute), rule.Name(), alert.Labels.Map(), alert.State.String(), alert.Annotations.Get("summary"),
					}
				}
			}
		}
		for name, one := range now {
			if before[name].State != one.State {
				changes = append(changes, one)
			}
		}
		for name, one := range before {
			if _, still := now[name]; !still {
				one.Minute, one.State = int(at/time.Minute), "inactive"
				changes = append(changes, one)
			}
		}
		before = now
	}
	said, _ := json.Marshal(changes)
	fmt.Printf("\n%s\n", said)
}
