/**
 * IATA designator | name | accounting code | country | hubs | longest flight in km | shortest | regional operator.
 *
 * Accounting codes are from opentraveldata's `optd_airlines.csv` (CC BY 4.0). A hub after `~` is a smaller one, from
 * which only flights of up to 4,500 km leave. Hubs and reach are chosen to be believable, no airline's real network.
 */
export const AIRLINE_TABLE = `
5J|Cebu Pacific|203|PH|MNL CEB|5500|0|
AA|American Airlines|001|US|DFW MIA JFK ~PHL ~ORD|15000|0|MQ Envoy Air
AC|Air Canada|014|CA|YYZ YUL YVR ~YYC|15000|0|
AF|Air France|057|FR|CDG ~ORY|13500|0|A5 HOP!
AI|Air India|098|IN|DEL BOM ~BLR|15300|0|
AM|Aeroméxico|139|MX|MEX|11500|0|5D Aeroméxico Connect
AS|Alaska Airlines|027|US|SEA ~ANC ~SAN|5500|0|QX Horizon Air
AT|Royal Air Maroc|147|MA|CMN|9500|0|
AV|Avianca|134|CO|BOG|9500|0|
AY|Finnair|105|FI|HEL|13500|0|
AZ|ITA Airways|055|IT|FCO ~LIN|13500|0|
B6|JetBlue|279|US|JFK BOS|5800|0|
BA|British Airways|125|GB|LHR ~LGW|15300|0|CJ BA CityFlyer
BR|EVA Air|695|TW|TPE|13500|0|
CA|Air China|999|CN|PEK|13500|0|
CI|China Airlines|297|TW|TPE|13500|0|
CM|Copa Airlines|230|PA|PTY|6700|0|
CX|Cathay Pacific|160|HK|HKG|14000|0|
CZ|China Southern|784|CN|CAN|13500|0|
DL|Delta Air Lines|006|US|ATL JFK SEA LAX ~BOS|15000|0|9E Endeavor Air
EI|Aer Lingus|053|IE|DUB|8800|0|
EK|Emirates|176|AE|DXB|15300|0|
ET|Ethiopian Airlines|071|ET|ADD|13500|0|
EY|Etihad Airways|607|AE|AUH|14500|0|
GA|Garuda Indonesia|126|ID|CGK DPS|12500|0|
GF|Gulf Air|072|BH|BAH|9500|0|
IB|Iberia|075|ES|MAD|13500|0|YW Air Nostrum
JL|Japan Airlines|131|JP|HND NRT ~ITM|12500|0|
KE|Korean Air|180|KR|ICN ~GMP|13500|0|
KL|KLM|074|NL|AMS|13500|0|WA KLM Cityhopper
KU|Kuwait Airways|229|KW|KWI|11000|0|
LA|LATAM Airlines|045|CL|SCL GRU ~LIM|13500|0|
LH|Lufthansa|220|DE|FRA MUC|13500|0|CL Lufthansa CityLine
LO|LOT Polish Airlines|080|PL|WAW|10500|0|
LX|SWISS|724|CH|ZRH ~GVA|12500|0|
MH|Malaysia Airlines|232|MY|KUL|11500|0|
MS|EgyptAir|077|EG|CAI|11000|0|
MU|China Eastern|781|CN|PVG|13500|0|
NH|All Nippon Airways|205|JP|HND NRT ~ITM|12500|0|
NZ|Air New Zealand|086|NZ|AKL ~CHC ~WLG|14500|0|
OS|Austrian|257|AT|VIE|11500|0|
OZ|Asiana Airlines|988|KR|ICN ~GMP|12500|0|
QF|Qantas|081|AU|SYD MEL ~BNE ~PER|14500|0|
QR|Qatar Airways|157|QA|DOH|14800|0|
RJ|Royal Jordanian|512|JO|AMM|11000|0|
SK|SAS|117|DK|CPH ARN ~OSL|10500|0|
SN|Brussels Airlines|082|BE|BRU|8000|0|
SQ|Singapore Airlines|618|SG|SIN|15400|0|
SV|Saudia|065|SA|JED RUH|13000|0|
TG|Thai Airways|217|TH|BKK|10500|0|
TK|Turkish Airlines|235|TR|IST ~SAW|14500|0|
TP|TAP Air Portugal|047|PT|LIS ~OPO|9500|0|
UA|United Airlines|016|US|EWR IAD ORD SFO IAH ~DEN|15300|0|OO SkyWest
UX|Air Europa|996|ES|MAD|10500|0|
VN|Vietnam Airlines|738|VN|SGN HAN|10500|0|
VS|Virgin Atlantic|932|GB|LHR ~MAN|11500|3000|
WY|Oman Air|910|OM|MCT|9500|0|
`;
