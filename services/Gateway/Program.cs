using DroneDelivery.Gateway;
using DroneDelivery.Gateway.Admission;
using DroneDelivery.Gateway.Forwarding;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Telemetry;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("gateway");
builder.Services.IgnoreClientBaggage();
builder.AddPolicies();
builder.Services.AddSingleton<SubscriptionKeys>();
builder.Services.AddRateLimits();
builder.AddProxy();

var app = builder.Build();
app.MapServiceDefaults();
app.Use(RefuseSmuggling.Before);
app.MapProxy();
return await app.RunServiceAsync();
