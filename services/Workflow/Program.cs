using DroneDelivery.Calls;
using DroneDelivery.Contracts;
using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Health;
using DroneDelivery.Workflow;
using DroneDelivery.Workflow.Calls;
using DroneDelivery.Workflow.DeadLetters;
using DroneDelivery.Workflow.Receiving;
using Microsoft.Extensions.Options;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("workflow", ContractJson.Configure);
builder.Services.AddServiceBus();
builder.Services.AddValidatedOptions<WorkflowOptions>(WorkflowOptions.Section)
    .Validate(
        options => options.PrefetchCount == 0 || options.PrefetchCount >= options.MaxConcurrentCalls,
        "Workflow:PrefetchCount: It would cap the concurrency below Workflow:MaxConcurrentCalls. Set it to 0 or to at least as many.")
    // A handler makes one call at a time, so all of them together make at most as many calls to one service as there are handlers.
    .Validate<IOptions<ResilienceOptions>>(
        (options, calls) => calls.Value.ConcurrencyLimit
            >= options.MaxConcurrentCalls + (options.Supervisor.Enabled ? DeadLetterHandler.MaxConcurrentCalls : 0),
        $"Resilience:ConcurrencyLimit: It is below Workflow:MaxConcurrentCalls and the {DeadLetterHandler.MaxConcurrentCalls} of the "
            + "supervisor, if it is enabled, so healthy calls would be refused. Raise it.");
builder.Services.AddServiceClient<PackageClient>("package");
builder.Services.AddServiceClient<DroneSchedulerClient>("dronescheduler");
builder.Services.AddServiceClient<DeliveryClient>("delivery");
builder.Services.AddSingleton<DeliveryWorkflow>();
builder.Services.AddSingleton<Recoverability>();
builder.Services.AddSingleton<MessageMetrics>();
builder.Services.AddSingleton<MessageSettler>();
builder.Services.AddSingleton<FailedQueue>();
builder.Services.AddSingleton<IMessageHandler, DeadLetterHandler>();
builder.Services.AddSingleton<IMessageHandler, RequestHandler>();
builder.Services.AddSingleton<MessageReceiver>();
builder.Services.AddSingleton<PauseDuringOutage>();
builder.Services.AddHostedService(provider => provider.GetRequiredService<PauseDuringOutage>());
builder.Services.AddHealthChecks()
    .AddCheck<PauseDuringOutage>("backends")
    .AddCheck<FailedQueue>("failed-queue");
builder.Services.AddDependency(
    "queue",
    "The queue cannot be read.",
    (provider, cancellationToken) => provider.GetRequiredService<MessageReceiver>().PeekAsync(cancellationToken));

var app = builder.Build();
app.MapServiceDefaults();
return await app.RunServiceAsync();
