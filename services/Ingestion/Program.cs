using DroneDelivery.Contracts;
using DroneDelivery.Ingestion;
using DroneDelivery.Ingestion.Limits;
using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Calls;
using DroneDelivery.ServiceDefaults.Health;
using DroneDelivery.ServiceDefaults.Security;
using DroneDelivery.ServiceDefaults.Telemetry;
using DroneDelivery.ServiceDefaults.Validation;
using Microsoft.AspNetCore.OpenApi;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("ingestion", ContractJson.Configure);
builder.Services.RefuseUnknownMembers(); // its clients are people and their programs, none of our services
builder.Services.IgnoreClientBaggage();
builder.Services.ConfigureHttpJsonOptions(json => json.SerializerOptions.AllowDuplicateProperties = false);
builder.Services.Configure<OpenApiOptions>("v1", options => options.AddSchemaTransformer(RescheduleDelivery.DescribeAsync));
builder.Services.AddServiceBus(DeliveryQueue.Configure);
builder.Services.AddIngestionOptions();
builder.Services.AddSingleton<AcceptanceClock>();
builder.Services.AddSingleton<AcceptanceTokens>();
builder.Services.AddSingleton<DeliveryQueue>();
builder.Services.AddDependency(
    "queue",
    "The queue cannot be opened.",
    (provider, cancellationToken) => provider.GetRequiredService<DeliveryQueue>().OpenAsync(cancellationToken));
builder.Services.AddServiceClient<DeliveryStatusClient>("delivery");
builder.Services.AddSingleton<RequestMetrics>();
builder.AddCallers();
builder.Services.AddSingleton<Owners>();
builder.Services.AddLimits();

var app = builder.Build();
app.MapServiceDefaults();
app.UseRequestMetrics();
app.UseLimits();
app.MapDeliveryRequests();
return await app.RunServiceAsync();
