using DroneDelivery.Calls;
using DroneDelivery.Contracts;
using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Health;
using DroneDelivery.ServiceDefaults.Telemetry;
using DroneDelivery.Workflow;
using DroneDelivery.Workflow.Calls;
using DroneDelivery.Workflow.DeadLetters;
using DroneDelivery.Workflow.Receiving;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("workflow", ContractJson.Configure);
builder.Services.AddServiceBus();
builder.Services.AddWorkflowOptions();
builder.Services.AddServiceClient<PackageClient>("package");
builder.Services.AddServiceClient<DroneSchedulerClient>("dronescheduler");
builder.Services.AddServiceClient<DeliveryClient>("delivery");
builder.Services.AddSingleton<DeliveryWorkflow>();
builder.Services.AddSingleton<Recoverability>();
builder.Services.AddSingleton<MessageMetrics>();
builder.Services.AddSingleton<DeliveryEvents>();
builder.Services.AddSingleton<MessageSettler>();
builder.Services.AddSingleton<FailedQueue>();
builder.Services.AddSingleton<IMessageHandler, DeadLetterHandler>();
builder.Services.AddSingleton<IMessageHandler, RequestHandler>();
builder.Services.AddSingleton<MessageReceiver>();
builder.Services.AddSingleton<PauseDuringOutage>();
builder.Services.AddHostedService(provider => provider.GetRequiredService<PauseDuringOutage>());
builder.Services.AddHealthChecks().AddCheck<PauseDuringOutage>("backends").AddCheck<FailedQueue>("failed-queue");
builder.Services.AddDependency("queue", "The queue cannot be read.", (provider, cancellationToken) =>
    provider.GetRequiredService<MessageReceiver>().PeekAsync(cancellationToken)
);

var app = builder.Build();
app.MapServiceDefaults();
return await app.RunServiceAsync();
