using DroneDelivery.Gateway.Forwarding;
using DroneDelivery.Gateway.Policies;
using DroneDelivery.Gateway.Routes;
using DroneDelivery.Gateway.Schemas;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Calls;
using DroneDelivery.ServiceDefaults.Health;
using DroneDelivery.ServiceDefaults.Telemetry;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("gateway");
// Nobody reads its lines, and for them each request would be an activity. With telemetry there is one all the same.
builder.Logging.AddFilter("Microsoft.AspNetCore.Hosting.Diagnostics", LogLevel.None);
builder.Services.IgnoreClientBaggage();
builder.AddGatewayOptions();
builder.Services.AddServiceForwarder("ingestion");
builder.Services.AddSingleton<SubscriptionKeys>();
builder.Services.AddSingleton<ForwardRequest>();
builder.Services.AddSingleton<IngestionDocument>();
builder.Services.AddHostedService(provider => provider.GetRequiredService<IngestionDocument>());
builder.Services.AddDependency(
    "schemas",
    IngestionDocument.Missing,
    (provider, _) => provider.GetRequiredService<IngestionDocument>().RequireLoadedAsync());

var app = builder.Build();
app.MapServiceDefaults();
app.Use(RefuseSmuggling.Before);
((IEndpointRouteBuilder)app).DataSources.Add(new GatewayRoutes(app.Services));
return await app.RunServiceAsync();
