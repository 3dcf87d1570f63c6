// A peer on the Go SDK: `peer server` over stdio, `peer server http` on a port of the system's choice;
// `peer client URL` and `peer client COMMAND...` watch memo://notes on the simple server and print what they saw.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const notesURI = "memo://notes"

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var err error
	switch arguments := os.Args[1:]; {
	case len(arguments) == 1 && arguments[0] == "server":
		err = memo().Run(ctx, &mcp.StdioTransport{})
	case len(arguments) == 2 && arguments[0] == "server":
		err = serve()
	case len(arguments) >= 2 && arguments[0] == "client":
		ctx, cancel = context.WithTimeout(ctx, time.Minute)
		defer cancel()
		err = watch(ctx, arguments[1], arguments[2:])
	default:
		err = errors.New("usage: peer server [http] | client URL | client COMMAND...")
	}
	if err != nil {
		log.Fatal(err)
	}
}

// memo keeps notes that the tool memo_set changes.
func memo() *mcp.Server {
	var lock sync.Mutex
	notes := map[string]any{}
	allow := func() error { return nil }
	server := mcp.NewServer(&mcp.Implementation{Name: "go-memo", Version: "1"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return allow() },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return allow() },
	})
	read := func(uri string, value any) (*mcp.ReadResourceResult, error) {
		lock.Lock()
		defer lock.Unlock()
		text, err := json.Marshal(value)
		contents := &mcp.ResourceContents{URI: uri, MIMEType: "application/json", Text: string(text)}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, err
	}
	server.AddResource(&mcp.Resource{URI: notesURI, Name: "notes", MIMEType: "application/json"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return read(notesURI, notes)
		})
	server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "memo://one/{key}", Name: "note"},
		func(_ context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return read(request.Params.URI, notes[strings.TrimPrefix(request.Params.URI, "memo://one/")])
		})
	type set struct {
		Key   string `json:"key"`
		Value any    `json:"value"`
	}
	type done struct {
		Changed bool `json:"changed"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "memo_set", Description: "Sets one key."},
		func(ctx context.Context, _ *mcp.CallToolRequest, set set) (*mcp.CallToolResult, done, error) {
			lock.Lock()
			notes[set.Key] = set.Value
			lock.Unlock()
			return nil, done{true}, server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: notesURI})
		})
	return server
}

// serve serves the newest protocol, which has no sessions.
func serve() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	server := memo()
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true})
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	return http.Serve(listener, mux)
}

// watch prints what a client sees; fails if the server does not behave.
func watch(ctx context.Context, target string, arguments []string) error {
	updated, acknowledged := make(chan string, 8), make(chan []string, 8)
	client := mcp.NewClient(&mcp.Implementation{Name: "go-peer", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, request *mcp.ResourceUpdatedNotificationRequest) {
			updated <- request.Params.URI
		},
	})
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			if params, ok := request.GetParams().(*mcp.SubscriptionsAcknowledgedParams); ok {
				acknowledged <- params.Notifications.ResourceSubscriptions
			}
			return next(ctx, method, request)
		}
	})
	var transport mcp.Transport = &mcp.CommandTransport{Command: exec.Command(target, arguments...)}
	if strings.HasPrefix(target, "http://") {
		transport = &mcp.StreamableClientTransport{Endpoint: target}
	}
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	saw := map[string]any{"version": session.InitializeResult().ProtocolVersion}
	subscribe := func(uri string) ([]string, error) {
		if err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
			return nil, err
		}
		return next(ctx, "an acknowledgement", acknowledged)
	}
	if honoured, err := subscribe(notesURI); err != nil || len(honoured) != 1 {
		return fmt.Errorf("subscribed to %v: %w", honoured, err)
	}
	if saw["before"], err = notes(ctx, session); err != nil {
		return err
	}
	set := func(key, value string) (*mcp.CallToolResult, error) {
		arguments := map[string]any{"key": key, "value": value}
		return session.CallTool(ctx, &mcp.CallToolParams{Name: "memo_set", Arguments: arguments})
	}
	if _, err = set("from", "go"); err != nil {
		return err
	}
	if saw["event"], err = next(ctx, "an update", updated); err != nil {
		return err
	}
	if saw["after"], err = notes(ctx, session); err != nil {
		return err
	}
	refused, err := subscribe("memo://other")
	if err != nil {
		return err
	}
	saw["refused"] = append([]string{}, refused...)
	failed, err := set("", "1")
	if err != nil {
		return err
	}
	saw["failed"] = failed.IsError
	return json.NewEncoder(os.Stdout).Encode(saw)
}

func notes(ctx context.Context, session *mcp.ClientSession) (map[string]any, error) {
	result, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: notesURI})
	if err != nil {
		return nil, err
	}
	var notes map[string]any
	return notes, json.Unmarshal([]byte(result.Contents[0].Text), &notes)
}

func next[T any](ctx context.Context, what string, channel <-chan T) (T, error) {
	select {
	case value := <-channel:
		return value, nil
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("waited in vain for %s", what)
	}
}
