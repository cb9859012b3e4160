package main

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/tailspan/tailspan/config"
)

// setting is one key of a configuration.
type setting struct {
	key         string
	field       string // name of the field in Go
	description string
	values      []string // of an enumeration
	kind        string   // JSON schema: string, integer, number, boolean, array, object
	custom      string   // the Go type, if kind is not specific enough
	fallback    any      // the default; nil if there is none
	items       *setting // of an array, or of the values of a map
	settings    []setting
}

// settingsOf describes a struct with its defaults.
func settingsOf(defaults any, c *comments) ([]setting, error) {
	return structSettings(reflect.Indirect(reflect.ValueOf(defaults)), c)
}

func structSettings(v reflect.Value, c *comments) (all []setting, err error) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		tag, options, _ := strings.Cut(field.Tag.Get("mapstructure"), ",")
		if !field.IsExported() || tag == "-" || tag == "" && options == "" {
			continue
		}
		if strings.Contains(options, "squash") {
			more, err := structSettings(v.Field(i), c)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
			continue
		}
		s, err := valueSetting(v.Field(i), c)
		if err != nil {
			return nil, fmt.Errorf("setting %q: %w", tag, err)
		}
		s.key, s.field = tag, field.Name
		of, _, _ := strings.Cut(v.Type().Name(), "[")
		if s.description, s.values, err = c.of(v.Type().PkgPath(), of, field.Name); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// valueSetting describes a value that is a default.
func valueSetting(v reflect.Value, c *comments) (s setting, err error) {
	switch value := v.Interface().(type) {
	case time.Duration:
		s.kind, s.custom, s.fallback = "string", "time.Duration", shortDuration(value)
		return s, nil
	case config.Size:
		s.kind, s.custom = "string", "config.Size"
		if value != 0 {
			s.fallback = value.String()
		}
		return s, nil
	case *component.ID:
		return setting{kind: "string", custom: "component.ID"}, nil
	case encoding.TextMarshaler:
		text, err := value.MarshalText()
		return setting{kind: "string", fallback: string(text)}, err
	case fmt.Stringer:
		if v.Kind() != reflect.Struct {
			return setting{kind: "string", fallback: value.String()}, nil
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		return setting{kind: "boolean", fallback: v.Bool()}, nil
	case reflect.Int, reflect.Int64:
		return setting{kind: "integer", fallback: v.Int()}, nil
	case reflect.Float64:
		return setting{kind: "number", fallback: v.Float()}, nil
	case reflect.String:
		if s.kind = "string"; v.Len() > 0 {
			s.fallback = v.String()
		}
		return s, nil
	case reflect.Slice, reflect.Map:
		s.kind = map[reflect.Kind]string{reflect.Slice: "array", reflect.Map: "object"}[v.Kind()]
		item, err := valueSetting(reflect.New(v.Type().Elem()).Elem(), c)
		item.fallback = nil
		s.items = &item
		return s, err
	case reflect.Struct:
		return objectSetting(v, c)
	default:
		return s, fmt.Errorf("no schema for %s", v.Type())
	}
}

// shortDuration omits the units that are zero: 1h, not 1h0m0s.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// objectSetting describes a struct, or the content of an Optional.
func objectSetting(v reflect.Value, c *comments) (s setting, err error) {
	s.kind = "object"
	if strings.HasPrefix(v.Type().Name(), "Optional[") {
		own := reflect.New(v.Type())
		own.Elem().Set(v)
		v = own.MethodByName("GetOrInsertDefault").Call(nil)[0].Elem()
		if v.Kind() != reflect.Struct {
			return valueSetting(v, c)
		}
	}
	s.settings, err = structSettings(v, c)
	return s, err
}
