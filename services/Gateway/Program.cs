using DroneDelivery.Gateway;
using DroneDelivery.Gateway.Admission;
using DroneDelivery.Gateway.Forwarding;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Telemetry;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("gateway");
builder.AddPolicies();
builder.Services.AddSingleton<SubscriptionKeys>();
builder.Services.AddRateLimits();
builder.AddProxy();

var app = builder.Build();
app.MapServiceDefaults();
app.IgnoreClientBaggage();
app.Use(RejectSmuggling.Before);
return await app.RunServiceAsync(app.MapProxy);
