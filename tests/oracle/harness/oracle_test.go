// The real controller, run on scenarios under virtual time.
//
//	ORACLE_SCENARIOS=in.jsonl ORACLE_OUT=dir ./oracle.test -test.run TestOracle -test.cpu 1

//go:debug randseednop=0
package oracle

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/scale"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	resourceclient "k8s.io/metrics/pkg/client/clientset/versioned/typed/metrics/v1beta1"
	"k8s.io/metrics/pkg/client/custom_metrics"
	"k8s.io/metrics/pkg/client/external_metrics"
)

// Gates that matter to the HPA controller; those that a release does not know are left out.
var knownGates = []string{
	"HPAScaleToZero", "HPAContainerMetrics", "HPAConfigurableTolerance", "PodLevelResources",
	"HPAGeneration", "StaleControllerConsistencyHPA", "HPAOptimizedSelectorStore",
}

func TestOracle(t *testing.T) {
	in := os.Getenv("ORACLE_SCENARIOS")
	if in == "" {
		t.Skip("ORACLE_SCENARIOS is not set")
	}
	out := os.Getenv("ORACLE_OUT")
	plain := os.Getenv("ORACLE_PLAIN") != ""
	dry := os.Getenv("ORACLE_DRY") != "" // measure only
	only := os.Getenv("ORACLE_ONLY")
	if !dry {
		if err := os.MkdirAll(out, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	silence()
	must(setGates(map[string]bool{"WatchListClient": false})) // plain list and watch say the same, in fewer lines
	file, err := os.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 1<<20), 1<<28)
	began, scenarios, passes, refusals := time.Now(), 0, 0, 0
	for lines.Scan() {
		if len(strings.TrimSpace(lines.Text())) == 0 {
			continue
		}
		sc := &scenario{}
		decoder := json.NewDecoder(strings.NewReader(lines.Text()))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(sc); err != nil {
			t.Fatalf("%v in %.200s", err, lines.Text())
		}
		if only != "" && sc.Name != only {
			continue
		}
		sc.defaults()
		l := &ledger{}
		err := runScenario(t, sc, l)
		if err != nil {
			refusals++
			fmt.Fprintf(console, "refused: %s: %v\n", sc.Name, err)
			continue
		}
		scenarios++
		passes += len(l.expected)
		if dry {
			continue
		}
		if err := save(out, sc.Name+".capture.jsonl", l.capture(), plain); err != nil {
			t.Fatal(err)
		}
		if err := save(out, sc.Name+".expected.jsonl", strings.Join(l.expected, "\n")+"\n", plain); err != nil {
			t.Fatal(err)
		}
	}
	took := time.Since(began).Seconds()
	fmt.Printf("%s scenarios=%d refused=%d reconciles=%d seconds=%.2f reconciles_per_second=%.0f\n",
		releaseVersion, scenarios, refusals, passes, took, float64(passes)/took)
}

// runScenario lives one scenario through; a scenario that validation refuses is an error.
func runScenario(t *testing.T, sc *scenario, l *ledger) (err error) {
	t.Run(sc.Name, func(t *testing.T) {
		restore, gateErr := setGates(sc.Gates)
		if gateErr != nil {
			err = refused{gateErr.Error()}
			return
		}
		defer restore()
		synctest.Test(t, func(t *testing.T) {
			rand.Seed(sc.Seed) // upstream jitters its retries
			time.Sleep(time.Until(sc.Start))
			var b *bench
			err = trying(func() { b = newBench(sc, l) })
			if err == nil {
				b.startController()
				err = trying(func() { b.world.live(sc.Start.Add(sc.Until.duration()).Truncate(time.Millisecond).Add(endOffset)) })
				for b.world.busy() {
					time.Sleep(time.Millisecond)
				}
				l.write(classEnd, "end", true)
				b.end()
			}
		})
	})
	return err
}

// Gates that cannot be on while another is off.
var dependents = map[string][]string{
	"PodLevelResources": {
		"InPlacePodLevelResourcesVerticalScaling", "PodLevelResourceManagers",
		"PodLevelResourcesFixKubeletQOSClass", "PodLevelResourcesFixDefaulting",
	},
}

// setGates sets the gates that this release knows, and gives the way back.
func setGates(gates map[string]bool) (restore func(), err error) {
	set, was := map[string]bool{}, map[string]bool{}
	for name, on := range gates {
		names := []string{name}
		if !on {
			names = append(names, dependents[name]...)
		}
		for _, name := range names {
			if now, ok := gate(name); ok {
				set[name], was[name] = on, now
			}
		}
	}
	restore = func() {
		if err := gateKeeper.SetFromMap(was); err != nil {
			panic(err)
		}
	}
	if err = gateKeeper.SetFromMap(set); err != nil {
		restore()
	}
	return restore, err
}

// gate says whether a gate is on, and whether this release knows it.
func gate(name string) (on, known bool) {
	defer func() {
		if recover() != nil {
			on, known = false, false
		}
	}()
	return gateKeeper.Enabled(gateName(name)), registered(name)
}

func gatesNow() map[string]bool {
	out := map[string]bool{}
	for _, name := range knownGates {
		if on, known := gate(name); known {
			out[name] = on
		}
	}
	return out
}

// bench holds a world and the controller that lives in it.
type bench struct {
	sc         *scenario
	world      *world
	stop       func()
	ending     bool
	restarting sync.WaitGroup
}

func newBench(sc *scenario, l *ledger) *bench {
	b := &bench{sc: sc, world: newWorld(sc, l)}
	b.world.restart = func(down time.Duration) {
		stop := b.stop
		b.restarting.Add(1)
		go func() {
			defer b.restarting.Done()
			stop()
			l.write(classEnd, "controller", "stopped")
			// On a whole millisecond, and after all that the old one did.
			time.Sleep(time.Until(time.Now().Add(down).Truncate(time.Millisecond).Add(time.Millisecond)))
			if !b.ending {
				b.startController()
			} else {
				b.stop = func() {}
			}
		}()
	}
	return b
}

// trying gives the refusal that a function met.
func trying(do func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			no, ok := r.(refused)
			if !ok {
				panic(r)
			}
			err = no
		}
	}()
	do()
	return nil
}

func (b *bench) end() {
	synctest.Wait()
	b.ending = true
	b.restarting.Wait()
	b.stop()
	time.Sleep(15 * time.Minute) // lets tickers and sleeping goroutines see that it is over
	synctest.Wait()
}

// mapper knows the kinds, and says of others what the discovery mapper of kube-controller-manager says.
func mapper() meta.RESTMapper {
	names, versions := sortedKeys(kinds), []schema.GroupVersion{}
	for _, name := range names {
		version := schema.GroupVersion{Group: kinds[name].group, Version: kinds[name].version}
		if !slices.Contains(versions, version) {
			versions = append(versions, version)
		}
	}
	m := meta.NewDefaultRESTMapper(versions)
	for _, name := range names {
		k := kinds[name]
		gv := schema.GroupVersion{Group: k.group, Version: k.version}
		m.AddSpecific(gv.WithKind(name), gv.WithResource(k.resource), gv.WithResource(strings.TrimSuffix(k.resource, "s")), meta.RESTScopeNamespace)
	}
	return meta.MultiRESTMapper{m}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// startController starts upstream's controller on real clients, as kube-controller-manager does.
func (b *bench) startController() {
	w, f := b.world, b.sc.Controller
	w.mu.Lock()
	w.ledger.write(classStarted, "controller", "started", "release", releaseMinor, "version", "v"+releaseVersion, "flags", map[string]string{
		"horizontal-pod-autoscaler-sync-period":               mustDuration(f.SyncPeriod).String(),
		"horizontal-pod-autoscaler-downscale-stabilization":   mustDuration(f.DownscaleStabilization).String(),
		"horizontal-pod-autoscaler-tolerance":                 trimFloat(tolerance(f)),
		"horizontal-pod-autoscaler-cpu-initialization-period": mustDuration(f.CPUInitializationPeriod).String(),
		"horizontal-pod-autoscaler-initial-readiness-delay":   mustDuration(f.InitialReadinessDelay).String(),
		"concurrent-horizontal-pod-autoscaler-syncs":          "1",
	}, "gates", gatesNow())
	w.mu.Unlock()

	config := &rest.Config{Host: "https://10.96.0.1:443", Transport: w, QPS: -1}
	config.ContentType = "application/json"
	client := kubernetes.NewForConfigOrDie(config)
	kinds := scale.NewDiscoveryScaleKindResolver(client.Discovery().(discovery.ServerResourcesInterface))
	restMapper := mapper()
	scales := must(scale.NewForConfig(config, restMapper, dynamic.LegacyAPIPathResolverFunc, kinds))
	available := custom_metrics.NewAvailableAPIsGetter(client.Discovery())
	metricsClient := metrics.NewRESTMetricsClient(
		resourceclient.NewForConfigOrDie(config),
		custom_metrics.NewForConfig(config, restMapper, available),
		external_metrics.NewForConfigOrDie(config),
	)
	factory := informers.NewSharedInformerFactory(client, 12*time.Hour)

	ctx, cancel := context.WithCancel(context.Background())
	period := mustDuration(f.SyncPeriod)
	controller, run, shutdown := newController(ctx, w, client, scales, restMapper, metricsClient, factory, period, f)
	w.dump = func(key string) any { return memoryOf(controller, key, w.start) }
	onError(w.failed)
	factory.Start(ctx.Done())
	go invalidate(available, period, ctx.Done())
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		run()
	}()
	b.stop = func() {
		cancel()
		<-finished
		for w.busy() { // older releases do not wait for their worker
			time.Sleep(time.Millisecond)
		}
		shutdown()
	}
}

// invalidate is custom_metrics.PeriodicallyInvalidate, which until 1.19 spins once it has been told to stop.
func invalidate(cache custom_metrics.AvailableAPIsGetter, interval time.Duration, stop <-chan struct{}) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			cache.Invalidate()
		case <-stop:
			return
		}
	}
}

func tolerance(f flags) float64 {
	if f.Tolerance < 0 {
		return 0
	}
	if f.Tolerance == 0 {
		return 0.1
	}
	return f.Tolerance
}

func trimFloat(f float64) string {
	return strings.TrimSuffix(fmt.Sprint(f), ".0")
}

// firstOrdinal: the pods of a target that comes back have the names of the old ones.
func (w *world) firstOrdinal(bool) int { return 0 }
