// Command client-go tells of each ConfigMap of a namespace that changes, as an operator in Go hears of it: by an
// informer. One line each: its resourceVersion, and when the handler was called, in nanoseconds since 1970.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: client-go NAMESPACE")
	}
	if err := watch(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func watch(namespace string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	out := bufio.NewWriter(os.Stdout)
	tell := func(object any) {
		if changed, ok := object.(*corev1.ConfigMap); ok {
			fmt.Fprintln(out, changed.ResourceVersion, time.Now().UnixNano())
			out.Flush()
		}
	}
	handler := cache.ResourceEventHandlerFuncs{AddFunc: tell, UpdateFunc: func(_, object any) { tell(object) }}
	if _, err := informer.AddEventHandler(handler); err != nil {
		return err
	}
	informer.RunWithContext(ctx)
	return nil
}
