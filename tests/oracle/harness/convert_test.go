// What the API server makes of an HPA: refused with these errors, or converted to these versions.
//
//	ORACLE_OBJECTS=in.jsonl ORACLE_CONVERTED=out.jsonl ./oracle.test -test.run TestConvert

package oracle

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
)

type converted struct {
	Object  json.RawMessage            `json:"object"`
	Refused string                     `json:"refused,omitempty"` // it could not be read
	Errors  []string                   `json:"errors"`            // what validation says
	To      map[string]json.RawMessage `json:"to"`                // by version; those that the release does not serve are left out
}

var versions = []string{"v1", "v2beta1", "v2beta2", "v2"}

func TestConvert(t *testing.T) {
	in := os.Getenv("ORACLE_OBJECTS")
	if in == "" {
		t.Skip("ORACLE_OBJECTS is not set")
	}
	silence()
	for _, gate := range []string{"HPAContainerMetrics", "HPAConfigurableTolerance"} {
		setGates(map[string]bool{gate: true}) // an error: the release does not have it, or it is always on
	}
	file, err := os.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(os.Getenv("ORACLE_CONVERTED"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for lines.Scan() {
		if err := encoder.Encode(convert(lines.Bytes())); err != nil {
			t.Fatal(err)
		}
	}
}

func convert(raw []byte) converted {
	told := converted{Object: append(json.RawMessage(nil), raw...), Errors: []string{}, To: map[string]json.RawMessage{}}
	internal := schema.GroupVersion{Group: "autoscaling", Version: runtime.APIVersionInternal}
	object, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(internal), raw)
	if err != nil {
		told.Refused = err.Error()
		return told
	}
	hpa := object.(*autoscaling.HorizontalPodAutoscaler)
	created := hpa.DeepCopy()
	if created.Namespace == "" {
		created.Namespace = "default"
	}
	ctx := requestContext(created.Namespace)
	horizontalpodautoscaler.Strategy.PrepareForCreate(ctx, created)
	for _, problem := range horizontalpodautoscaler.Strategy.Validate(ctx, created) {
		told.Errors = append(told.Errors, problem.Error())
	}
	for _, version := range versions {
		data, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(schema.GroupVersion{Group: "autoscaling", Version: version}), hpa)
		if err == nil {
			told.To[version] = data
		}
	}
	return told
}
