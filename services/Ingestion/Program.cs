using System.Text.Json.Serialization;
using DroneDelivery.Calls;
using DroneDelivery.Contracts;
using DroneDelivery.Ingestion;
using DroneDelivery.Ingestion.Limits;
using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Health;
using DroneDelivery.ServiceDefaults.Security;
using DroneDelivery.ServiceDefaults.Telemetry;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("ingestion", ContractJson.Configure);
builder.Services.ConfigureHttpJsonOptions(json =>
{
    // External clients get an error for unknown properties. Internal services ignore them, because a newer caller may send more.
    json.SerializerOptions.UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow;
    json.SerializerOptions.AllowDuplicateProperties = false;
});
builder.Services.AddServiceBus(triesOnce: true);
builder.Services.AddIngestionOptions();
builder.Services.AddSingleton<AcceptanceTokens>();
builder.Services.AddSingleton<DeliveryEvents>();
builder.Services.AddSingleton<DeliveryQueue>();
builder.Services.AddDependency("queue", "The queue cannot be opened.", (provider, cancellationToken) =>
    provider.GetRequiredService<DeliveryQueue>().OpenAsync(cancellationToken)
);
builder.Services.AddServiceClient<DeliveryStatusClient>("delivery");

// Clients wait for the response and retry themselves.
builder.Services.PostConfigure<ResilienceOptions>(calls => calls.RetryDelays ??= [TimeSpan.FromSeconds(0.2)]);
builder.AddCallers();
builder.Services.AddSingleton<Owners>();
builder.Services.AddRequestTimeLimit();

var app = builder.Build();
app.MapServiceDefaults();
app.IgnoreClientBaggage();
app.UseLimits();
app.MapDeliveryRequests();
return await app.RunServiceAsync();
