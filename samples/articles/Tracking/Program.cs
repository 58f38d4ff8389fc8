using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Telemetry;
using DroneDelivery.Tracking;
using DroneDelivery.Tracking.Writing;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("tracking");
builder.Services.AddSingleton<TrackedTables>();
builder.AddHitWriter();

var app = builder.Build();
app.MapServiceDefaults();
app.IgnoreClientBaggage();
app.MapTracking();
return await app.RunServiceAsync();
